-- Where the deployment was reached when the platform called last, as https://host: questions to staff lead to the console there.
ALTER TABLE channels ADD COLUMN origin TEXT;
