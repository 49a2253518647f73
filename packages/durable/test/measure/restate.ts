// Prints the cost of a step on Restate as a line of JSON. A separate process: Restate workers need a newer Node.
import { startRestate } from '../../../../scripts/engines.mjs'
import { durable, startWorker } from '../../src/restate.js'
import { cpuOf, processUnder } from './cpu-of.js'
import { perStep } from './per-step.js'
import { makeWalker } from './walker.js'

const restate = await startRestate()
if (restate) {
  const { agent, spans } = makeWalker()
  const { ingress, admin } = restate
  const walker = durable(agent, { ingress, admin })
  const worker = await startWorker([walker], { port: 0 })
  const server = processUnder(process.pid, 'restate-server') ?? -1
  const run = () => walker.run('Go.')
  const told = await perStep('Restate', { runs: 15, spans, run, serverCpu: () => cpuOf(server) })
  console.log(JSON.stringify(told))
  await worker.close()
  await walker.close()
  await restate.stop()
}
process.exit(0)
