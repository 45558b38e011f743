import type { Problem } from '@hawser/crd';

/** Why a schema source and a BoundSchema cannot be converted into each other. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
  readonly code = 'NotConvertible';

  constructor(
    readonly source: string,
    readonly problems: readonly Problem[],
  ) {
    super(
      `cannot convert ${source}: ${problems.map(({ path, message }) => `${path === '' ? 'it' : path} ${message}`).join('; ')}`,
    );
  }
}
