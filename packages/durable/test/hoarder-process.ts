// Executes one run of the hoarder and prints its end. The argument is JSON.
import { type Hoard, hoarder } from './hoarder.js'

const end = await hoarder(JSON.parse(process.argv[2] ?? '') as Hoard)
  .run('Go.', { runId: 'r' })
  .then(
    ({ text }) => text,
    (error: unknown) => String(error),
  )
console.log(end)
