/** A message of a queue, with the job that was read of it. */
export type Message = Pick<MessageBatch["messages"][number], "id" | "body" | "attempts" | "ack" | "retry">;

export interface JobMessage<Job> {
  readonly message: Message;
  readonly job: Job;
}
