// Processes that share a budget in PostgreSQL are killed, and a server answers as long as it may: together they never
// pass the limit.
//
//   node --conditions=development --import=tsx packages/stores/test/prove-ledger.ts 10 1000 15
import { startPostgres } from '../../../scripts/postgres.mjs'
import { proveBudget } from '../../core/test/ledger/prove-budget.js'

const [processes = 10, runs = 1000, kills = 15] = process.argv.slice(2).map(Number)
const tokens = 800 * runs
const server = await startPostgres()
if (!server) process.exit(1)
process.env.LEDGER_URL = server.url
const ledger = new URL('open-ledger.ts', import.meta.url).href
// Half of the kills follow a reservation, which only a ledger in this process can report.
const proof = { processes, runs, kills: 2 * kills, concurrency: 4, tokens, ledger }
const { charged, killed } = await proveBudget(proof)
server.stop()
const share = ((100 * charged) / tokens).toFixed(1)
console.log(
  `PostgreSQL, ${processes} processes, ${runs} runs, ${killed} kills: ${charged} of ${tokens} tokens (${share} %)`,
)
if (charged > tokens) throw new Error(`${charged - tokens} tokens above the limit`)
if (charged < 0.8 * tokens) throw new Error('less than 80 % of the limit could be used')
if (killed < kills) throw new Error(`only ${killed} of ${kills} kills`)
