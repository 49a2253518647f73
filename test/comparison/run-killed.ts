// Starts a run that ends with its process: run-killed.js JSON.
import { bank, type Killed, runId } from './bank.js'
import { keepLocal } from './loopback.js'
import type { Peer } from './peer.js'

const { peer: name, setup, folder, kill } = JSON.parse(process.argv[2] ?? '') as Killed
keepLocal(() => undefined)
const { peer } = (await import(`./peers/${name}.js`)) as { peer: Peer }
const opened = await peer.open({ ...setup, tools: [bank(folder, setup.isMended === true, kill)] })
await opened.start?.(runId)
// As a process that dies before it has told anybody.
process.kill(process.pid, 'SIGKILL')
