// Processes that share a budget are killed, and a server answers as long as it may: together they never pass the limit.
// Usage: node --conditions=development --import=tsx packages/core/test/ledger/prove-processes.ts [processes] [runs] [kills] [module]
import { proveBudget } from './prove-budget.js'

const [processes = '10', runs = '1000', kills = '30', module] = process.argv.slice(2)
const tokens = 800 * Number(runs)
const { charged, killed, ends } = await proveBudget({
  processes: Number(processes),
  runs: Number(runs),
  kills: Number(kills),
  concurrency: 4,
  tokens,
  ...(module === undefined ? {} : { ledger: module }),
})
const told = Object.entries(ends).map(([end, times]) => `${end} ${times}`)
const share = ((100 * charged) / tokens).toFixed(1)
console.log(
  `${processes} processes, ${runs} runs, ${killed} kills: ${charged} of ${tokens} tokens charged (${share} %), ended: ${told.join(', ')}`,
)
if (charged > tokens) throw new Error(`${charged - tokens} tokens above the limit`)
if (charged < 0.8 * tokens) throw new Error('less than 80 % of the limit could be used')
if (killed < Number(kills)) throw new Error(`only ${killed} of ${kills} kills`)
