// The option --namespace of commands that print manifests.
import { shownText } from '#base/printable.ts';

/** @throws Error if Kubernetes has no namespaces of this name (RFC 1123 label) */
export function parseNamespace(text: string | undefined): string | undefined {
  if (text === undefined || /^(?=.{1,63}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text)) return text;
  throw new Error(
    `--namespace ${shownText(text, 80)} is not the name of a namespace; write lower-case letters, digits and hyphens, at most 63`,
  );
}
