export { type BindingOptions, createBindingController } from './binding-controller.js';
