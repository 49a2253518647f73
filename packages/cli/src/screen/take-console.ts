import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { plainText } from '../say/plain-text.js'

/** What a user's file says by `console` becomes lines beside the words, which stay as they are. */
export function takeConsole(line: (text: string) => void): void {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _encoding, done) {
      line(plainText(String(text).replace(/\n$/, '')))
      done()
    },
  })
  Object.assign(console, new Console(stream))
}
