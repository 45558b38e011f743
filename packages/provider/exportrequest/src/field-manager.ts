/** Field manager of what this package writes. Not that of the Go backend, which is to be told apart by its writes. */
export const fieldManager = 'hawser-exportrequest';
