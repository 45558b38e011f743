export { type ConsumerAccessOptions, createConsumerAccessController } from './access-controller.js';
export { createAnswerController } from './answer-controller.js';
export { type OnboardingOptions, createOnboardingController } from './onboarding-controller.js';
