# The protocol of the Open vSwitch database (RFC 7047): JSON-RPC on a stream, one request and its answer.

# The result of each operation. Either all of them take effect or none.
function Invoke-OvsdbTransaction {
    param(
        [Parameter(Mandatory = $true)][System.IO.Stream]$Stream,
        [Parameter(Mandatory = $true)][object[]]$Operations,
        [int]$TimeoutMs = 5000
    )
    $request = [pscustomobject]@{ id = 1; method = 'transact'; params = @('Open_vSwitch') + $Operations }
    $bytes = [System.Text.Encoding]::UTF8.GetBytes((ConvertTo-JsonText -Value $request))
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    if (-not $Stream.WriteAsync($bytes, 0, $bytes.Length).Wait($TimeoutMs)) {
        throw (New-HelperError -Kind Timeout -Message "ovsdb-server did not accept the request within $TimeoutMs ms.")
    }
    $answer = Receive-OvsdbAnswer -Stream $Stream -Clock $clock -TimeoutMs $TimeoutMs
    Assert-OvsdbResult -Result (Get-Field -InputObject $answer -Name error)
    foreach ($result in @($answer.result)) {
        if ($null -ne (Get-Field -InputObject $result -Name error)) { Assert-OvsdbResult -Result $result }
    }
    $answer.result
}

# Messages have neither a length nor an end mark: one is complete when it parses. ovsdb-server sends nothing else unrequested.
function Receive-OvsdbAnswer {
    param(
        [Parameter(Mandatory = $true)][System.IO.Stream]$Stream,
        [Parameter(Mandatory = $true)][System.Diagnostics.Stopwatch]$Clock,
        [Parameter(Mandatory = $true)][int]$TimeoutMs
    )
    $received = New-Object -TypeName System.IO.MemoryStream
    $buffer = New-Object -TypeName byte[] -ArgumentList 65536
    while ($true) {
        $reading = $Stream.ReadAsync($buffer, 0, $buffer.Length)
        if (-not $reading.Wait([int][math]::Max(0, $TimeoutMs - $Clock.ElapsedMilliseconds))) {
            throw (New-HelperError -Kind Timeout -Message "ovsdb-server did not answer within $TimeoutMs ms.")
        }
        if ($reading.Result -eq 0) { throw (New-HelperError -Kind Failed -Message 'ovsdb-server closed the connection before it answered.') }
        $received.Write($buffer, 0, $reading.Result)
        if ($buffer[$reading.Result - 1] -ne [byte][char]'}') { continue }
        try { return ConvertFrom-Json -InputObject ([System.Text.Encoding]::UTF8.GetString($received.ToArray())) } catch { continue }
    }
}

function Assert-OvsdbResult {
    param([AllowNull()][object]$Result)
    if ($null -eq $Result) { return }
    $said = @((Get-Field -InputObject $Result -Name error), (Get-Field -InputObject $Result -Name details)) | Where-Object -FilterScript { $null -ne $_ }
    if (@($said).Count -eq 0) { $said = ConvertTo-JsonText -Value $Result }
    throw (New-HelperError -Kind Failed -Message "ovsdb-server refused the transaction: $([string]::Join(': ', @($said)))")
}

# Converts rows of the protocol to the output of `ovs-vsctl --format=json list`.
function ConvertTo-OvsTable {
    param([AllowEmptyCollection()][object[]]$Rows)
    if ($Rows.Count -eq 0) { return '{"headings":[],"data":[]}' }
    [string[]]$columns = @($Rows[0].PSObject.Properties | ForEach-Object -Process { $_.Name } | Where-Object -FilterScript { $_ -notlike '_*' })
    [System.Array]::Sort($columns, [System.StringComparer]::Ordinal)
    $columns = @('_uuid') + $columns
    $lines = foreach ($row in $Rows) {
        $cells = New-Object -TypeName object[] -ArgumentList $columns.Count
        for ($i = 0; $i -lt $columns.Count; $i++) { $cells[$i] = $row.PSObject.Properties[$columns[$i]].Value }
        # Row by row: a call per cell would take seconds on a node with many pods.
        ConvertTo-Json -InputObject $cells -Depth 20 -Compress
    }
    '{"headings":' + (ConvertTo-Json -InputObject $columns -Compress) + ',"data":[' + [string]::Join(',', @($lines)) + ']}'
}
