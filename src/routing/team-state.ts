/** What a team remembers over all its runs: whose turn it is, and who is busy. Every change is atomic, and safe to repeat. */
export interface TeamState {
  /**
   * The number of this decision among all of the team, from 0. The same claim gets the same number again, so that a step that is
   * redone takes nobody's turn.
   */
  nextTurn(team: string, claim: string): Promise<number>;
  /** Takes the least busy of these workers, the first among equals, and counts it as busy. The same claim gets the same one. */
  claimLeastBusy(team: string, workers: readonly string[], claim: ClaimId): Promise<{ worker: string; load: number }>;
  /** Counts a worker as busy. */
  claim(team: string, worker: string, claim: ClaimId): Promise<void>;
  release(claim: ClaimId): Promise<void>;
  loads(team: string): Promise<Readonly<Record<string, number>>>;
}

export interface ClaimId {
  /** The run or turn: what it still holds is released when it ends, however it ends. */
  readonly work: string;
  /** Unique within the work, and the same over replays. */
  readonly id: string;
}
