/** Field manager of everything that this controller writes. */
export const fieldManager = 'hawser-exportrbac';
