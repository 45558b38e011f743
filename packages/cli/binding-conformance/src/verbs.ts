/** Verbs of a program that keeps objects in step. */
export const allVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
