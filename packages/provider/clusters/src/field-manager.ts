/** Field manager of what these controllers create. */
export const fieldManager = 'hawser-clusters';
