// Comparing the steps of runs. For pages too: it loads nothing else.

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
