/** Field manager of objects that these controllers create. */
export const fieldManager = 'hawser-clusters';
