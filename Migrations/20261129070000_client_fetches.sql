-- expand
-- Requests for the newest manifest by hour, by what clients say of themselves. No row names a client.
CREATE TABLE client_fetches (
    hour    timestamptz NOT NULL,
    -- Empty for all that are too many.
    product text        COLLATE "C" NOT NULL CHECK (length(product) <= 40),
    version text        COLLATE "C" NOT NULL CHECK (length(version) <= 20),
    -- The publication that they held; 0 for none.
    serial  bigint      NOT NULL CHECK (serial >= 0),
    fetches bigint      NOT NULL CHECK (fetches > 0),
    PRIMARY KEY (hour, product, version, serial)
);
