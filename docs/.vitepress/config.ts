// VitePress looks for its configuration here.
export { default } from '../site/config.ts';
