import type { Placement, Relation } from './request.js'

/** A thing, and its relation to other things. */
interface Placed {
  readonly subject: number
  readonly placement: Placement
}

interface Open {
  readonly relation: Relation
  readonly word: string
  /**
   * The thing that is placed. If the relation comes first, as in "on the table is a cat", this is the thing after the
   * objects of the relation.
   */
  readonly subject: number | undefined
  readonly objects: number[]
  /** The number of single objects. */
  total: number
}

/** A relation that is not complete. */
export type Lost = Pick<Open, 'relation' | 'word' | 'subject'>

/** The last relation, until the things on both sides of it are known. */
export class OpenRelation {
  private open: Open | undefined

  /** `subject` is the last thing in this sentence, if there is one. */
  begin(relation: Relation, word: string, subject: number | undefined): void {
    this.open = { relation, word, subject, objects: [], total: 0 }
  }

  /**
   * Handles a thing that represents `count` single things. Returns the relations that are now complete, with their
   * words.
   */
  meet(thing: number, count: number): (Placed & { readonly word: string }) | undefined {
    const { open } = this
    if (!open || thing === open.subject) return undefined
    const { relation, word } = open
    const enough = relation === 'between' ? 2 : 1
    let subject = open.subject
    if (open.total < enough) {
      open.objects.push(thing)
      open.total += count
      if (open.total < enough) return undefined
    } else subject = thing
    if (subject === undefined) return undefined
    this.open = undefined
    return { subject, word, placement: { relation, to: open.objects } }
  }

  /** Whether no thing has followed the relation yet. */
  get isAwaiting(): boolean {
    return this.open?.objects.length === 0
  }

  /**
   * Ends the relation because its object is not a thing, as in "on a sunny day". Returns the relation if it was not
   * complete.
   */
  drop(): Lost | undefined {
    const { open } = this
    this.open = undefined
    return open
  }

  /** Whether the relation can have more things. */
  get isOpen(): boolean {
    return this.open !== undefined
  }

  /** Handles a comma. Only a relation with objects continues. Returns the relation if it ends. */
  pause(): Lost | undefined {
    return this.open?.objects.length === 0 ? this.drop() : undefined
  }
}
