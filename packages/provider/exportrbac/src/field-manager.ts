/** Field manager of all writes of this controller. */
export const fieldManager = 'hawser-exportrbac';
