/** How something stands. `underWay`: it will be in step without anybody's doing; `unknown`: it cannot be told, because something cannot be read. */
export type Standing = 'inStep' | 'underWay' | 'held' | 'unknown';

/** The worst of several: what somebody must see to counts more than what cannot be told. */
export function worst(standings: readonly Standing[]): Standing {
  return (['held', 'unknown', 'underWay'] as const).find((standing) => standings.includes(standing)) ?? 'inStep';
}
