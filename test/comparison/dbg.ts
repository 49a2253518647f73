import { cases } from './cases/all.js'
import { playCase } from './stage.js'
const [name, id] = process.argv.slice(2)
const { peer } = await import(`./peers/${name}.js`)
const one = cases.find((c) => c.id === id)!
let s: any
const cell = await playCase(peer, { ...one, cell: (stage) => { s = stage; return one.cell(stage) } }, { isMended: process.env.MENDED === '1' })
console.log(cell, s?.last, s?.shownError.slice(0, 1500)); console.log(s?.ran); console.log(JSON.stringify(s?.requests.at(-1)?.body.messages, null, 1)?.slice(0, 2500)); console.log(s?.notes)
process.exit()
