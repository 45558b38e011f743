export { type ConsumerAccessOptions, createConsumerAccessController } from './access-controller.js';
export { type AnswerOptions, createAnswerController } from './answer-controller.js';
export { type OnboardingOptions, createOnboardingController } from './onboarding-controller.js';
