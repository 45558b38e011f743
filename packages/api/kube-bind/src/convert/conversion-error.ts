import type { Problem } from '@hawser/crd';

/** A schema source that no BoundSchema can be made of, or the other way round. */
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
