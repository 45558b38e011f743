/** Field manager of everything that these controllers write. */
export const fieldManager = 'hawser-onboarding';
