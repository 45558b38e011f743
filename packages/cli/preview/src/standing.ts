/** How an item stands. `underWay`: it will be in step without action; `unknown`: something is unreadable. */
export type Standing = 'inStep' | 'underWay' | 'held' | 'unknown';

/** The worst of several: an item that needs action counts more than an unknown one. */
export function worst(standings: readonly Standing[]): Standing {
  return (['held', 'unknown', 'underWay'] as const).find((standing) => standings.includes(standing)) ?? 'inStep';
}
