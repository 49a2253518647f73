// Runs each conversation once with each named peer and prints whether the server accepted it: check.js PEER...
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { prepare, promptOf, scenarios, textOf } from './scenarios.js'

const server = spawn(process.execPath, [fileURLToPath(new URL('./server.js', import.meta.url))])
server.stderr.pipe(process.stderr)
const [origin] = await once(createInterface(server.stdout), 'line')
for (const name of process.argv.slice(2)) {
  for (const scenario of scenarios) {
    let ran = 0
    const run = await prepare(name, { scenario, origin, ran: () => ran++ })
    const text = await run(promptOf('1')).catch(String)
    const tally = await (await fetch(`${origin}/tally`, { method: 'POST' })).json()
    const isRight = text === textOf('1', scenario).join('') && ran === scenario.steps * scenario.calls
    console.log(
      name,
      scenario.name,
      isRight && tally.calls === ran && tally.faults.length === 0
        ? 'ok'
        : { text: text.slice(0, 200), ran, ...tally },
    )
  }
}
server.kill()
