# The part of OpenFlow that counts the flows of a bridge. Versions 1.3 to 1.5 have the same table statistics.

# The flows of each table that has any.
function Get-OpenFlowTable {
    param([Parameter(Mandatory = $true)][System.IO.Stream]$Stream, [int]$TimeoutMs = 5000)
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $wait = @{ Stream = $Stream; Clock = $clock; TimeoutMs = $TimeoutMs }
    # Hello: version 1.5 (6), and an element that lists versions 1.3 to 1.5 (bits 4 to 6).
    Send-OpenFlow @wait -Bytes ([byte[]](6, 0, 0, 16, 0, 0, 0, 1, 0, 1, 0, 8, 0, 0, 0, 0x70))
    $version = Get-OpenFlowVersion -Hello (Receive-OpenFlow @wait)
    # Multipart request (18) for the statistics of all tables (3).
    Send-OpenFlow @wait -Bytes ([byte[]]($version, 18, 0, 16, 0, 0, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0))
    do {
        $answer = Receive-OpenFlow @wait
        if ($answer[1] -eq 1) { throw (New-HelperError -Kind Failed -Message 'ovs-vswitchd refused the request for its tables.') }
        # 19 is a multipart reply. Other messages, such as echo requests, are skipped.
        if ($answer[1] -ne 19) { continue }
        for ($at = 16; $at + 24 -le $answer.Length; $at += 24) {
            $flows = ConvertFrom-NetworkOrder -Bytes $answer -At ($at + 4) -Count 4
            if ($flows -gt 0) { [pscustomobject]@{ Table = [int]$answer[$at]; Flows = $flows } }
        }
        $more = (ConvertFrom-NetworkOrder -Bytes $answer -At 10 -Count 2) -band 1
    } while ($answer[1] -ne 19 -or $more -eq 1)
}

# The newest common version. A peer without a list supports all versions up to the one in its hello.
function Get-OpenFlowVersion {
    param([Parameter(Mandatory = $true)][byte[]]$Hello)
    $versions = 0x70
    if ($Hello[0] -lt 6) { $versions = $versions -band ((1 -shl ($Hello[0] + 1)) - 1) }
    if ($Hello.Length -ge 16 -and (ConvertFrom-NetworkOrder -Bytes $Hello -At 8 -Count 2) -eq 1) {
        $versions = 0x70 -band (ConvertFrom-NetworkOrder -Bytes $Hello -At 12 -Count 4)
    }
    foreach ($version in @(6, 5, 4)) { if (($versions -band (1 -shl $version)) -ne 0) { return $version } }
    throw (New-HelperError -Kind Failed -Message 'The bridge does not support OpenFlow 1.3, 1.4 or 1.5.')
}

function ConvertFrom-NetworkOrder {
    param([Parameter(Mandatory = $true)][byte[]]$Bytes, [Parameter(Mandatory = $true)][int]$At, [Parameter(Mandatory = $true)][int]$Count)
    [long]$number = 0
    for ($i = 0; $i -lt $Count; $i++) { $number = $number * 256 + $Bytes[$At + $i] }
    $number
}

function Send-OpenFlow {
    param(
        [Parameter(Mandatory = $true)][System.IO.Stream]$Stream,
        [Parameter(Mandatory = $true)][System.Diagnostics.Stopwatch]$Clock,
        [Parameter(Mandatory = $true)][int]$TimeoutMs,
        [Parameter(Mandatory = $true)][byte[]]$Bytes
    )
    if ($Stream.WriteAsync($Bytes, 0, $Bytes.Length).Wait([int][math]::Max(0, $TimeoutMs - $Clock.ElapsedMilliseconds))) { return }
    throw (New-HelperError -Kind Timeout -Message "ovs-vswitchd did not accept the request within $TimeoutMs ms.")
}

# One message: bytes 3 and 4 of its header of 8 bytes are the total length.
function Receive-OpenFlow {
    param(
        [Parameter(Mandatory = $true)][System.IO.Stream]$Stream,
        [Parameter(Mandatory = $true)][System.Diagnostics.Stopwatch]$Clock,
        [Parameter(Mandatory = $true)][int]$TimeoutMs
    )
    $message = New-Object -TypeName byte[] -ArgumentList 65536
    $have = 0
    $length = 8
    while ($have -lt $length) {
        $reading = $Stream.ReadAsync($message, $have, $length - $have)
        if (-not $reading.Wait([int][math]::Max(0, $TimeoutMs - $Clock.ElapsedMilliseconds))) {
            throw (New-HelperError -Kind Timeout -Message "ovs-vswitchd did not answer within $TimeoutMs ms.")
        }
        if ($reading.Result -eq 0) { throw (New-HelperError -Kind Failed -Message 'ovs-vswitchd closed the connection before it answered.') }
        $have += $reading.Result
        if ($have -eq 8) { $length = [math]::Max(8, [int](ConvertFrom-NetworkOrder -Bytes $message -At 2 -Count 2)) }
    }
    $whole = New-Object -TypeName byte[] -ArgumentList $length
    [System.Array]::Copy($message, $whole, $length)
    # The comma keeps the array in one piece.
    , $whole
}
