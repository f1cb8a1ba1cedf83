-- expand
-- A further bit of scopes: 256 history.
ALTER TABLE app_keys DROP CONSTRAINT app_keys_scopes_check,
    ADD CONSTRAINT app_keys_scopes_check CHECK (scopes BETWEEN 1 AND 511) NOT VALID;
