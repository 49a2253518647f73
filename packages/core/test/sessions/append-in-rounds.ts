// Adds to the sessions that are named on its standard input, one a line, at the version after the name. Says for each
// what came of it; what lost is added again behind what won. Its arguments are the folder and its own name.
import { createInterface } from 'node:readline'
import { isCapstanError } from '@capstan/core'
import { folderSessions } from '@capstan/core/node'

async function main([folder = '', name = '']: readonly string[]): Promise<void> {
  const sessions = folderSessions(folder)
  console.log('ready')
  for await (const line of createInterface(process.stdin)) {
    const [id = '', version = ''] = line.split(' ')
    const messages = ['one', 'two'].map((word) => ({ role: 'user' as const, content: `${name} ${word}` }))
    try {
      console.log(JSON.stringify({ version: await sessions.append(id, messages, Number(version)) }))
    } catch (error) {
      if (!isCapstanError(error)) throw error
      const { evidence, code } = error
      const found = await sessions.load(id)
      const again = await sessions.append(id, messages, found.version)
      console.log(JSON.stringify({ code, evidence, again }))
    }
  }
}

main(process.argv.slice(2))
