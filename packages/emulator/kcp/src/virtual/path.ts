/** What a path of a virtual workspace names. */
export interface VirtualPath {
  /** Logical cluster of the export. */
  readonly provider: string;
  readonly export: string;
  /** `*`, or the name of a logical cluster. */
  readonly target: string;
  /** What is asked of it, with the query; begins with a slash. */
  readonly rest: string;
}

const PATTERN = /^\/services\/apiexport\/([^/?]+)\/([^/?]+)\/clusters\/([^/?]+)(.*)$/u;

/** Undefined for a path that leads to no virtual workspace. A workspace is named by its logical cluster here, not by its path. */
export function virtualPathOf(path: string): VirtualPath | undefined {
  const [, provider = '', export_ = '', target = '', rest = ''] = PATTERN.exec(path) ?? [];
  const cluster = decodeURIComponent(target);
  if (provider === '' || cluster.includes(':')) return undefined;
  return {
    provider: decodeURIComponent(provider),
    export: decodeURIComponent(export_),
    target: cluster,
    rest: rest.startsWith('/') ? rest : `/${rest}`,
  };
}
