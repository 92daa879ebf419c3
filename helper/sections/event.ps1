# The event log of the last day, of what carries the pod network.

function Get-EventSection {
    $since = (Get-Date).AddDays(-1)
    $sources = @(
        @{ LogName = 'System'; ProviderName = 'Service Control Manager' }
        @{ LogName = 'System'; ProviderName = 'Microsoft-Windows-Hyper-V-VmSwitch' }
        # Whichever logs it writes to.
        @{ ProviderName = 'Microsoft-Windows-Hyper-V-VfpExt' }
        @{ LogName = 'Microsoft-Windows-Host-Network-Service-Admin' }
        @{ LogName = 'Microsoft-Windows-Host-Network-Service-Operational'; Level = 1, 2, 3 }
        @{ LogName = 'Microsoft-Windows-Hyper-V-VmSwitch-Operational'; Level = 1, 2, 3 }
    )
    foreach ($source in $sources) {
        $source['StartTime'] = $since
        try {
            $events = @(Get-WinEvent -FilterHashtable $source -MaxEvents 200)
        } catch {
            # "No events were found", a log or a provider that this Windows does not have: the texts are localised, the ids are not.
            if ($_.FullyQualifiedErrorId -match '^(NoMatchingEventsFound|NoMatchingLogsFound|NoMatchingProvidersFound|LogsAndProvidersDontOverlap)') { continue }
            if ((ConvertTo-ErrorObject -ErrorRecord $_).kind -eq 'AccessDenied') { throw }
            if ($_.Exception.GetType().Name -eq 'EventLogNotFoundException') { continue }
            throw
        }
        $events | Select-Object -Property @{ Name = 'TimeCreated'; Expression = { Format-Time -Time $_.TimeCreated } },
            'LogName', 'ProviderName', 'Id', 'LevelDisplayName', 'Message'
    }
}
