// The comment of an object: an annotation, so that it can be changed without a new generation of the spec. Pure.
import { parseComment } from '#dns/comment.ts';
import { accept, refuse, type Verdict } from '#dns/verdict.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { COMMENT } from './names.ts';

/** @returns null without the annotation, or if it is empty; a problem names the annotation */
export function readObjectComment({ metadata }: Pick<KubeObject, 'metadata'>): Verdict<string | null> {
  const text = metadata.annotations?.[COMMENT];
  const comment = parseComment(text ?? null);
  if (comment.ok) return accept(comment.value);
  return refuse('comment', `metadata.annotations[${COMMENT}]: ${comment.problem.message}`);
}
