#!/usr/local/bin/node
// The first module of the images, app/main.js. Their sources have no types any more, so Node must take a .ts file for
// JavaScript: the part of Node that removes types costs 20 MB of memory and most of the time of a start.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const found = nextResolve(specifier, context);
    return found.url.endsWith('.ts') ? { ...found, format: 'module' } : found;
  },
});

await import('./src/main.ts');
