// Adds turns to the session that is named on its standard input, until it is killed, and says which versions were
// acknowledged. Its argument is the folder.
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { folderSessions } from '@capstan/core/node'
import { turnAt } from './turn-at.js'

async function main([folder = '']: readonly string[]): Promise<void> {
  const sessions = folderSessions(folder)
  writeSync(1, 'ready\n')
  const id = String((await once(process.stdin, 'data'))[0])
  let { version } = await sessions.load(id)
  for (;;) {
    version = await sessions.append(id, turnAt(version), version)
    writeSync(1, `${version}\n`)
  }
}

main(process.argv.slice(2))
