export { createWithdrawnObjectsController, type WithdrawnObjectsOptions } from './withdrawn-objects-controller.js';
