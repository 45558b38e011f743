/** Parts of a virtual workspace's path. */
export interface VirtualPath {
  /** Logical cluster of the export. */
  readonly provider: string;
  readonly export: string;
  /** `*`, or the name of a logical cluster. */
  readonly target: string;
  /** The inner request path, with the query; begins with a slash. */
  readonly rest: string;
}

const PATTERN = /^\/services\/apiexport\/([^/?]+)\/([^/?]+)\/clusters\/([^/?]+)(.*)$/u;

/** Undefined for any other path. Here a workspace is named by its logical cluster, not by its path. */
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
