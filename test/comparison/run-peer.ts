// Plays cases with one framework, in a process of its own: run-peer.js PEER [CASE,...]. Sends each cell to its parent.
import { cases } from './cases/all.js'
import { keepLocal } from './loopback.js'
import type { Peer } from './peer.js'
import { cellOf, type Stage } from './stage.js'

const [name = '', only] = process.argv.slice(2)
const { peer } = (await import(`./peers/${name}.js`)) as { peer: Peer }
let current: Stage | undefined
process.on('unhandledRejection', (error) => current?.unhandled.push(error))
process.on('uncaughtException', (error) => current?.unhandled.push(error))
keepLocal((host) => current?.hosts.add(host))
keepConsole()

for (const played of cases) {
  if (only && !only.split(',').includes(played.id)) continue
  process.send?.({ starts: played.id })
  send(played.id, await cellOf(peer, played, { watch }))
}
process.exit()

function watch(stage: Stage): () => void {
  current = stage
  return () => {
    current = undefined
  }
}

function send(id: string, cell: string): void {
  if (process.send) process.send({ id, cell })
  else process.stdout.write(`${id}: ${cell}\n`)
}

/** What frameworks print is part of what happened. */
function keepConsole(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream)
    stream.write = ((text: string | Uint8Array, ...rest: []) => {
      if (current && !process.env.SHOW_ERRORS) current.printed += String(text)
      else write(text, ...rest)
      return true
    }) as typeof stream.write
  }
}
