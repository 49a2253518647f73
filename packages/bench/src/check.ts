// Runs each conversation once by each peer named, and says whether the server was content: check.js PEER...
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { instructions, promptOf, toolsOf, wordsOf } from './conversation.js'
import type { Peer } from './peer.js'
import { scenarios } from './scenarios.js'

const server = spawn(process.execPath, [fileURLToPath(new URL('./server.js', import.meta.url))])
server.stderr.pipe(process.stderr)
const [origin] = await once(createInterface(server.stdout), 'line')
for (const name of process.argv.slice(2)) {
  const { peer } = (await import(`./peers/${name}.js`)) as { peer: Peer }
  for (const scenario of scenarios) {
    let ran = 0
    const tools = toolsOf(scenario, () => ran++)
    const baseURL = `${origin}/${scenario.name}/v1`
    const maxSteps = scenario.steps + 2
    const run = await peer.prepare({
      baseURL,
      model: 'bench',
      instructions,
      tools,
      stream: scenario.stream,
      maxSteps,
    })
    const words = await run(promptOf('1')).catch(String)
    const tally = await (await fetch(`${origin}/tally`, { method: 'POST' })).json()
    const isRight = words === wordsOf('1', scenario).join('') && ran === scenario.steps * scenario.calls
    console.log(
      name,
      scenario.name,
      isRight && tally.calls === ran && tally.faults.length === 0
        ? 'ok'
        : { words: words.slice(0, 200), ran, ...tally },
    )
  }
}
server.kill()
