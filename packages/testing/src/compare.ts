// Compares runs' steps. It imports nothing at run time, so that web pages can bundle it too.

export {
  type AlignedPair,
  type AmountPair,
  alignSteps,
  type ComparedStep,
  compareSteps,
  differencesOf,
  type PartDifference,
  type StepComparison,
  type StepPair,
  type StepPart,
  stepParts,
} from './recording/compare-steps.js'
