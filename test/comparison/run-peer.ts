// Plays cases with one framework, in a process of its own: run-peer.js PEER [CASE,...]. Sends each cell to its parent.
import { Socket } from 'node:net'
import { cases } from './cases/all.js'
import type { Peer } from './peer.js'
import { cellOf, type Stage } from './stage.js'

const [name = '', only] = process.argv.slice(2)
const { peer } = (await import(`./peers/${name}.js`)) as { peer: Peer }
let current: Stage | undefined
process.on('unhandledRejection', (error) => current?.unhandled.push(error))
process.on('uncaughtException', (error) => current?.unhandled.push(error))
keepLocal()
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

/** No packet leaves this machine; who tries is noted. */
function keepLocal(): void {
  const { connect } = Socket.prototype
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const [first] = (Array.isArray(args[0]) ? args[0] : args) as { host?: string; path?: string }[]
    const host = first?.host ?? 'localhost'
    if (first?.path || /^(localhost|127\.|::1)/.test(host)) return connect.apply(this, args as never)
    current?.hosts.add(host)
    this.destroy(Object.assign(new Error(`connect ECONNREFUSED ${host}`), { code: 'ECONNREFUSED' }))
    return this
  } as Socket['connect']
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
