import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from '@hawser/json';
import { apiExportToV1alpha1, apiExportToV1alpha2 } from './convert/api-export.js';
import type { APIExport, V1alpha1APIExport } from './kinds/api-export.js';
import type { APIBinding } from './kinds/api-binding.js';
import { conditionTypes, getCondition, isConditionTrue } from './kinds/condition.js';
import { clusterNameOf, workspacePathOf } from './metadata.js';
import { isLogicalClusterName, parseSchemaName } from './names.js';
import type { APIExportEndpointSlice } from './kinds/workspaces.js';
import { clusterPath, virtualWorkspaceOf, wildcardPath } from './urls.js';

// What a real kcp answered.
const folder = join(import.meta.dirname, '../../../emulator/kcp/recorded');

interface Exchange {
  readonly name: string;
  readonly response: { readonly status: number; readonly body?: unknown };
}

function answer<T>(chapter: string, name: string): T {
  const exchanges = parse(readFileSync(join(folder, `${chapter}.json`), 'utf8')) as unknown as readonly Exchange[];
  const found = exchanges.find((exchange) => exchange.name === name);
  if (found === undefined) throw new Error(`nothing recorded is called ${name}`);
  return found.response.body as T;
}

describe('what kcp answered', () => {
  const old = answer<V1alpha1APIExport>('02-export', 'export as v1alpha1');
  const current = answer<APIExport>('02-export', 'export as v1alpha2');

  it('the conversions of an export are those of kcp', () => {
    // The server fills in defaults besides.
    const converted = apiExportToV1alpha2(old);
    const claims = converted.spec?.permissionClaims?.map((claim) => ({ group: '', identityHash: '', ...claim }));
    expect({ ...converted, spec: { ...converted.spec, permissionClaims: claims } }).toEqual(current);
    const back = apiExportToV1alpha1(current);
    const shown = back.spec?.permissionClaims?.map((claim) =>
      Object.fromEntries(Object.entries(claim).filter(([, value]) => value !== '')),
    );
    expect({ ...back, spec: { ...back.spec, permissionClaims: shown } }).toEqual(old);
  });

  it('an export says where it lives, and which schemas it has', () => {
    expect(workspacePathOf(current)).toBe('root:provider');
    expect(isLogicalClusterName(clusterNameOf(current) ?? '')).toBe(true);
    const [resource] = current.spec?.resources ?? [];
    expect(parseSchemaName(resource?.schema ?? '')).toEqual({
      prefix: 'v1',
      resource: resource?.name,
      group: resource?.group,
    });
  });

  it('an endpoint leads to its virtual workspace', () => {
    const slice = answer<APIExportEndpointSlice>('03-bind', 'default endpoint slice after binding');
    const workspace = virtualWorkspaceOf(slice.status?.endpoints?.[0]?.url ?? '');
    const base = `/services/apiexport/${clusterNameOf(current) ?? ''}/example.com`;
    expect(workspace).toEqual({ origin: 'https://kcp.example:6443', path: base });
    expect(wildcardPath(workspace)).toBe(`${base}/clusters/*`);
    expect(clusterPath(workspace, clusterNameOf(current) ?? '')).toBe(
      `${base}/clusters/${clusterNameOf(current) ?? ''}`,
    );
    expect(isConditionTrue(slice, conditionTypes.apiExportValid)).toBe(true);
  });

  it('a binding is ready', () => {
    const binding = answer<APIBinding>('03-bind', 'binding of a as v1alpha2');
    expect(isConditionTrue(binding, conditionTypes.ready)).toBe(true);
    expect(getCondition(binding, 'Odd')).toBeUndefined();
    expect(clusterNameOf(binding)).not.toBe(clusterNameOf(current));
  });
});
