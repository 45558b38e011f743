import { type APIServiceExportRequestSpec, apiVersion, validate } from '@hawser/kube-bind';
import { parse } from 'yaml';
import * as z from 'zod';

/** A provider's checked answer to a binding. Holds a credential. */
export interface Answer {
  readonly kubeconfig: string;
  readonly requests: readonly WantedExport[];
}

/** The export to ask the provider for. */
export interface WantedExport {
  readonly name: string;
  readonly spec: APIServiceExportRequestSpec;
}

const response = z.object({
  kind: z.enum(['BindingResponse', 'BindingResourceResponse']),
  apiVersion: z.literal(apiVersion),
  kubeconfig: z.string().min(1),
  requests: z.array(z.unknown()).nullish(),
  bindingName: z.string().optional(),
});
const request = z.object({
  kind: z.literal('APIServiceExportRequest'),
  apiVersion: z.literal(apiVersion),
  metadata: z.object({ name: z.string().optional() }).optional(),
  spec: z.unknown(),
});

/** Parses the answer (spec/kube-bind-api.md §6.13, §6.14), or says what is wrong with it. */
export function bindingAnswer(value: unknown): Answer | string {
  const read = response.safeParse(value);
  if (!read.success) return `it is not a BindingResponse of ${apiVersion} (${pathOf(read.error)})`;
  const { kubeconfig, requests, bindingName } = read.data;
  const wanted: WantedExport[] = [];
  for (const one of requests ?? []) {
    const found = exportRequest(one, bindingName);
    if (typeof found === 'string') return found;
    wanted.push(found);
  }
  const names = new Set(wanted.map(({ name }) => name));
  if (names.size < wanted.length) return 'two of its requests have the same name';
  return { kubeconfig: bytesOf(kubeconfig).toString(), requests: wanted };
}

/** An APIServiceExportRequest as a document, or what is wrong with it. `otherwise`: the name to use if it has none. */
export function exportRequest(value: unknown, otherwise: string | undefined): WantedExport | string {
  const read = request.safeParse(value);
  if (!read.success) return `it is not an APIServiceExportRequest of ${apiVersion} (${pathOf(read.error)})`;
  const name = read.data.metadata?.name ?? otherwise;
  if (name === undefined || name === '') return 'the APIServiceExportRequest has no name: give --name';
  const [problem] = validate('APIServiceExportRequest', { ...read.data, metadata: { name } });
  if (problem !== undefined)
    return `the APIServiceExportRequest ${name} is malformed: ${problem.path}: ${problem.message}`;
  return { name, spec: read.data.spec as APIServiceExportRequestSpec };
}

/**
 * Decodes the query parameter with which a page answers a terminal. Pages of kube-bind use base64; its plugin uses
 * base64url.
 */
export function decodedAnswer(text: string): unknown {
  try {
    return JSON.parse(bytesOf(text).toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** Parses a file, YAML or JSON: one document. */
export function documentOf(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch {
    return undefined;
  }
}

/** A space stands for the `+` of a query. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.replaceAll('-', '+').replaceAll('_', '/').replaceAll(' ', '+'), 'base64');
}

function pathOf({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join('.') ?? '';
  return path === '' ? 'as a whole' : path;
}
