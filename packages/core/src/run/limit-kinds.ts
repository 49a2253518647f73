import type { LimitName } from '../words/state.js'

/** What the bound of each limit may be: `whole` counts things. */
export const limitKinds = {
  steps: 'whole',
  toolCalls: 'whole',
  perTool: 'perTool',
  tokens: 'whole',
  seconds: 'amount',
  images: 'whole',
  audioSeconds: 'amount',
  artifacts: 'whole',
  artifactBytes: 'whole',
  cost: 'amount',
} as const satisfies Readonly<Record<LimitName, 'whole' | 'amount' | 'perTool'>>
