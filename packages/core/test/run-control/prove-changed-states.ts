// Changes pending states at random and approves what they show: no function may start with anything else.
// Usage: node --conditions=development --import=tsx packages/core/test/run-control/prove-changed-states.ts [cases] [seed]
import { proveChangedStates } from './changed-states.js'

const [cases = '2000', seed = '1'] = process.argv.slice(2)
const { started, refused, ended } = await proveChangedStates(Number(cases), Number(seed))
const codes = Object.entries(refused).map(([code, times]) => `${code} ${times}`)
console.log(
  `${cases} changed states: ${started} started what was shown, ${ended} ended without a start, refused: ${codes.join(', ')}`,
)
