import { open, stat } from 'node:fs/promises';
import { poll } from './poll.js';
import { TestenvError } from './testenv-error.js';

/** One answered request, from the audit log of the API server. */
export interface AuditEntry {
  /** When it arrived, RFC 3339 with microseconds. */
  readonly time: string;
  /** `get list watch create update patch delete deletecollection`, or the HTTP method for paths that are not resources. */
  readonly verb: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
  /** API group; empty for the core API and for paths that are not resources. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  /** Absent for lists, and for creations whose name the server chooses. */
  readonly name: string | undefined;
  readonly requestUri: string;
  /** HTTP status; 0 if none was sent. */
  readonly code: number;
  /** The server's message for a refused request. */
  readonly refusal: string | undefined;
  readonly dryRun: boolean;
  /**
   * Whether the request asked to change stored state: no reads, dry runs, reviews or token requests. It may have
   * failed: see `code`.
   */
  readonly write: boolean;
}

/** Selects entries; every given field must match. */
export interface AuditFilter {
  /** Only entries after this mark. */
  readonly since?: AuditMark;
  readonly user?: string;
  /** Part of the user agent. */
  readonly userAgent?: string;
  readonly verbs?: readonly string[];
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** true: answered below 400; false: refused. */
  readonly succeeded?: boolean;
}

/** The API server's own user name. */
const OWN_USER = 'system:apiserver';

/** A position in the log. */
export interface AuditMark {
  readonly offset: number;
}

export interface AuditLog {
  /** The current end of the log, after all requests answered so far. */
  mark(): Promise<AuditMark>;
  /** All matching entries answered before this call. */
  entries(filter?: AuditFilter): Promise<AuditEntry[]>;
  /**
   * {@link entries} that ask to change stored state, without the API server's own writes, such as its Lease, unless
   * that user is named.
   */
  writes(filter?: AuditFilter): Promise<AuditEntry[]>;
}

/**
 * @param file the log, JSON lines.
 * @param request sends a GET to the API server; the reader uses it to know that the log is complete.
 */
export function createAuditLog(file: string, request: (path: string) => Promise<unknown>): AuditLog {
  /** Entries are written as requests end. Once our own request shows in the file, those before it do too. */
  const barrier = async (): Promise<number> => {
    const token = crypto.randomUUID();
    const from = await size(file);
    await request(`/version?hawser-audit=${token}`);
    const found = await poll(
      async () => {
        const text = await readFrom(file, from);
        const at = text.indexOf(token);
        if (at < 0) return undefined;
        const lineEnd = text.indexOf('\n', at);
        return lineEnd < 0 ? undefined : from + Buffer.byteLength(text.slice(0, lineEnd + 1));
      },
      10_000,
      10,
    );
    if (found === undefined)
      throw new TestenvError('timeout', `the audit log ${file} did not get the marker within 10 s`);
    return found;
  };
  const entries = async (filter: AuditFilter = {}): Promise<AuditEntry[]> => {
    const end = await barrier();
    const from = filter.since?.offset ?? 0;
    const text = await readFrom(file, from, end);
    return text
      .split('\n')
      .filter((line) => line !== '' && !line.includes('hawser-audit='))
      .map(parseAuditEntry)
      .filter((entry) => matches(entry, filter));
  };
  return {
    mark: async () => ({ offset: await barrier() }),
    entries,
    writes: async (filter) =>
      (await entries(filter)).filter(({ write, user }) => write && (user !== OWN_USER || filter?.user === OWN_USER)),
  };
}

interface RawEntry {
  readonly verb?: string;
  readonly requestURI?: string;
  readonly requestReceivedTimestamp?: string;
  readonly userAgent?: string;
  readonly user?: { readonly username?: string; readonly groups?: readonly string[] };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
}

/** One line of the log. */
export function parseAuditEntry(line: string): AuditEntry {
  const raw = JSON.parse(line) as RawEntry;
  const requestUri = raw.requestURI ?? '';
  const verb = raw.verb ?? '';
  const group = raw.objectRef?.apiGroup ?? '';
  const resource = raw.objectRef?.resource ?? '';
  const subresource = raw.objectRef?.subresource;
  const dryRun = new URLSearchParams(requestUri.split('?')[1] ?? '').getAll('dryRun').some((value) => value !== '');
  return {
    time: raw.requestReceivedTimestamp ?? '',
    verb,
    user: raw.user?.username ?? '',
    groups: raw.user?.groups ?? [],
    userAgent: raw.userAgent ?? '',
    group,
    resource,
    subresource,
    namespace: raw.objectRef?.namespace,
    name: raw.objectRef?.name,
    requestUri,
    code: raw.responseStatus?.code ?? 0,
    refusal: raw.responseStatus?.message,
    dryRun,
    write: writeVerbs.has(verb) && resource !== '' && !dryRun && !reviewGroups.has(group) && subresource !== 'token',
  };
}

const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** Creating a review asks a question; nothing is stored. */
const reviewGroups: ReadonlySet<string> = new Set(['authorization.k8s.io', 'authentication.k8s.io']);

function matches(entry: AuditEntry, filter: AuditFilter): boolean {
  const same = (wanted: string | undefined, actual: string | undefined): boolean =>
    wanted === undefined || wanted === actual;
  return (
    same(filter.user, entry.user) &&
    same(filter.group, entry.group) &&
    same(filter.resource, entry.resource) &&
    same(filter.subresource, entry.subresource) &&
    same(filter.namespace, entry.namespace) &&
    same(filter.name, entry.name) &&
    (filter.userAgent === undefined || entry.userAgent.includes(filter.userAgent)) &&
    (filter.verbs === undefined || filter.verbs.includes(entry.verb)) &&
    (filter.succeeded === undefined || filter.succeeded === entry.code < 400)
  );
}

async function size(file: string): Promise<number> {
  return (await stat(file)).size;
}

async function readFrom(file: string, from: number, to?: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const end = to ?? (await handle.stat()).size;
    if (end <= from) return '';
    const buffer = Buffer.alloc(end - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
