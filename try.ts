import { chatClient } from './test/wire/chat-client.js'
import { negativeCases } from './test/wire/text-calls/negative-cases.js'
import { positiveCases } from './test/wire/text-calls/positive-cases.js'
import { runTextCases } from './test/wire/text-calls/run-text-case.js'
import { toTextTable } from './test/wire/text-calls/text-table.js'
const main = async () => {
  const all = [...positiveCases, ...negativeCases]
  console.log(positiveCases.length, negativeCases.length, new Set(all.map((o) => o.id)).size)
  console.log(toTextTable(await runTextCases(all, chatClient)))
}
main()
