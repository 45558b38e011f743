/** A list as the API server prints it: `meta.k8s.io/v1` Table, only the used fields. */
export interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly {
    readonly cells: readonly unknown[];
    readonly object: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };
  }[];
}

/** In columns, without those for wide screens. */
export function tableText({ columnDefinitions, rows }: Table, labels: boolean): string {
  const shown = columnDefinitions.flatMap(({ name, priority }, index) => (priority === 0 ? [{ name, index }] : []));
  const lines = [
    [...shown.map(({ name }) => name.toUpperCase()), ...(labels ? ['LABELS'] : [])],
    ...rows.map(({ cells, object }) => [
      ...shown.map(({ index }) => textOf(cells[index])),
      ...(labels ? [labelText(object.metadata.labels)] : []),
    ]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

function textOf(cell: unknown): string {
  return typeof cell === 'string' ? cell : cell === undefined || cell === null ? '' : JSON.stringify(cell);
}

function labelText(labels: Readonly<Record<string, string>> = {}): string {
  const all = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return all.length === 0 ? '<none>' : all.sort().join(',');
}
