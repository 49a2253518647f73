import { runStoreChecks, sessionStoreChecks } from '@capstan/testing'
import { type D1Like, d1RunStore, d1Sessions } from '../../src/d1.js'

/** The Worker's bindings: an empty database for each check. */
type Databases = Readonly<Record<string, D1Like>>

/** The checks, each with the store that it needs. */
function checksOf(db: () => D1Like) {
  return [
    ...runStoreChecks(() => d1RunStore(db())),
    ...sessionStoreChecks(() => d1Sessions(db()), { branches: 'required' }),
  ]
}

/** `GET /` returns the names of the checks. `GET /7` runs the eighth check, and returns its failure if it has one. */
export default {
  async fetch(request: Request, databases: Databases): Promise<Response> {
    const at = new URL(request.url).pathname.slice(1)
    const checks = checksOf(() => {
      const db = databases[`DB${at}`]
      if (!db) throw new Error(`There is no database ${at}.`)
      return db
    })
    if (at === '') return Response.json(checks.map(({ name }) => name))
    const error = await checks[Number(at)]?.run().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return Response.json({ failure: error === undefined ? null : String(error) })
  },
}
