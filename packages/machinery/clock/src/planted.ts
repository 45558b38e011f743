/** Names of the mistakes that are switched on. */
export type Planted = ReadonlySet<string>;

declare global {
  /**
   * Mistakes that are built into the sources on purpose, so that a simulation can show that it finds them. Only a simulation sets this; a build replaces it by
   * `undefined` and leaves out what stands behind it.
   */
  var hawserPlanted: Planted | undefined;
}
