/** API group of all bound kinds, and its only version. */
export const apiGroup = 'klutch.anynines.com';
export const version = 'v1alpha1';
export const apiVersion = `${apiGroup}/${version}`;
/** API group of the catalogue. */
export const catalogueGroup = 'example-backend.klutch.anynines.com';
