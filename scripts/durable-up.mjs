// PostgreSQL and Restate for trials of durable runs, until Ctrl-C. Nothing of them is left after that.
import { startRestate } from './engines.mjs'
import { startPostgres } from './postgres.mjs'

const [postgres, restate] = await Promise.all([startPostgres(), startRestate()])
const lines = [
  ...(postgres ? [['DBOS_SYSTEM_DATABASE_URL', postgres.url]] : []),
  ...(restate
    ? [
        ['RESTATE_INGRESS_URL', restate.ingress],
        ['RESTATE_ADMIN_URL', restate.admin],
      ]
    : []),
]
for (const [name, value] of lines) console.log(`export ${name}=${value}`)
if (lines.length === 0) process.exit(1)
console.log('\nCtrl-C ends them.')
const stay = setInterval(() => {}, 1 << 30)
await new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
})
clearInterval(stay)
await Promise.all([postgres?.stop(), restate?.stop()])
