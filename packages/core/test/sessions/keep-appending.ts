// Adds turns to a session until it is killed, and says which versions were acknowledged. Its arguments are the folder
// and the session.
import { writeSync } from 'node:fs'
import { folderSessions } from '@capstan/core/node'
import { turnAt } from './turn-at.js'

async function main([folder = '', id = '']: readonly string[]): Promise<void> {
  const sessions = folderSessions(folder)
  let { version } = await sessions.load(id)
  writeSync(1, `${version}\n`)
  for (;;) {
    version = await sessions.append(id, turnAt(version), version)
    writeSync(1, `${version}\n`)
  }
}

main(process.argv.slice(2))
