/** Field manager of this package's writes. Differs from the Go backend's, whose writes must be recognisable. */
export const fieldManager = 'hawser-exportrequest';
